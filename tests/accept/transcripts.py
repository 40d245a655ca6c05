"""Answers for pictures, in the raw format of Qwen3: thoughts, then the answer."""

from __future__ import annotations

TRANSCRIPTS = {
    "A bat and a ball cost $1.10. The bat costs $1 more. What is the ball?": """<think>
The first thought is 10 cents, but then the bat would cost $1.10 and both together $1.20.

Let the ball cost x. Then x + (x + 1) = 1.10, so 2x = 0.10 and x = 0.05.

Check: 0.05 + 1.05 = 1.10. Right.
</think>

The ball costs **5 cents**.

With \\(x\\) for the ball, the bat is \\(x + 1\\):

\\[ x + (x + 1) = 1.10 \\quad\\Rightarrow\\quad x = 0.05 \\]

| | price |
|---|---:|
| Ball | $0.05 |
| Bat | $1.05 |
| Together | $1.10 |

Most people say 10 cents at first; then the bat would cost only 90 cents more.
""",
    "用 Python 写一个快速排序，并说明它的复杂度。": """<think>
给出一个简短、清楚的实现，再说明平均和最坏情况。
</think>

快速排序选一个基准，把较小和较大的元素分到两边，再分别排序：

```python
def quick_sort(values: list[int]) -> list[int]:
    if len(values) <= 1:
        return values
    pivot, *rest = values
    smaller = [v for v in rest if v < pivot]
    larger = [v for v in rest if v >= pivot]
    return quick_sort(smaller) + [pivot] + quick_sort(larger)
```

| 情况 | 时间 | 原因 |
|---|---|---|
| 平均 | \\(O(n \\log n)\\) | 每次大致分成两半 |
| 最坏 | \\(O(n^2)\\) | 已经有序，基准总在一端 |

**提示**：随机选取基准，可以避免在有序数据上退化。
""",
}
