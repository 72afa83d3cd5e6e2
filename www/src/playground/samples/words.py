"""Count the words of a text file, the most frequent first."""

import sys
from collections import Counter


def words(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield from line.lower().split()


def main(path, limit=10):
    counts = Counter(words(path))
    for word, count in counts.most_common(limit):
        print(f"{count:6} {word}")


if __name__ == "__main__":
    main(sys.argv[1])
