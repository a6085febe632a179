import resource

resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
total = 0
while True:
    total += 1
