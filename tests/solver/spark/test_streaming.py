"""The order of the messages of a topic."""

from random import Random

import numpy as np

from solver.spark.streaming import merged


def values_of(messages):
    columns = [np.array([message[place] for message in messages], np.int64) for place in range(3)]
    return [messages[place][3] for place in merged(*columns).tolist()]


def test_messages_of_one_partition_keep_their_order_although_their_timestamps_go_back():
    assert values_of([(5, 0, 2, b"second"), (10, 0, 1, b"first")]) == [b"first", b"second"]


def test_partitions_are_merged_as_by_repeatedly_taking_the_oldest_first_message():
    rng = Random("topic")
    for _ in range(200):
        messages = [(rng.randrange(9), rng.randrange(3), offset, b"%d" % offset) for offset in range(12)]
        queues = {number: [one for one in messages if one[1] == number] for number in range(3)}
        expected = []
        while any(queues.values()):
            # What goes back in its partition waits for nothing: the message before it was taken.
            taken = min((queue[0] for queue in queues.values() if queue), key=lambda one: one[:2])
            expected.append(queues[taken[1]].pop(0)[3])
        rng.shuffle(messages)
        assert values_of(messages) == expected
