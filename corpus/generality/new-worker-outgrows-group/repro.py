import multiprocessing


def fill(_):
    return len(bytearray(b"x") * (1 << 30))


if __name__ == "__main__":
    process = multiprocessing.get_context("spawn").Process(target=fill, args=(0,))
    process.start()
    process.join()
    print("the worker ended with", process.exitcode)
