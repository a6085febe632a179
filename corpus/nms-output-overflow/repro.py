import tensorflow as tf
def post_process(boxes, scores, max_out):
    return tf.raw_ops.CombinedNonMaxSuppression(boxes=boxes, scores=scores, max_output_size_per_class=max_out,
        max_total_size=max_out, iou_threshold=0.5, score_threshold=0.1)
def detect(batch):
    boxes = tf.ones([batch, 1, 1, 4]); scores = tf.ones([batch, 1, 1])
    return post_process(boxes, scores, 2**31-1)
def main():
    detect(1)
main()
