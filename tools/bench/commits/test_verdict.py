#!/usr/bin/env python3
"""Tests of the statistics: python3 tools/bench/commits/test_verdict.py"""
import unittest

from verdict import BETTER, SAME, WORSE, Comparison


def compared(base: list[float], head: list[float], more_is_better: bool = False) -> Comparison:
    return Comparison("figure", "ns", base, head, more_is_better)


class VerdictTests(unittest.TestCase):
    def test_ratio_is_of_the_medians_and_not_of_the_means(self):
        self.assertEqual(compared([100, 101, 900], [202, 1, 203]).ratio, 2.0)

    def test_ratios_pair_the_values_of_a_round(self):
        self.assertEqual(compared([100, 200, 400], [200, 100, 400]).ratios, [2.0, 0.5, 1.0])

    def test_spread_is_that_of_the_build_that_varies_more(self):
        self.assertAlmostEqual(compared([100, 101, 102], [95, 100, 115]).spread, 20 / 101)
        self.assertAlmostEqual(compared([80, 100, 101], [100, 100, 100]).spread, 0.21)

    def test_a_difference_beyond_the_spread_is_worse(self):
        self.assertEqual(compared([100, 101, 102], [110, 111, 112]).verdict, WORSE)

    def test_a_decrease_beyond_the_spread_is_better(self):
        self.assertEqual(compared([110, 111, 112], [100, 101, 102]).verdict, BETTER)

    def test_of_a_rate_an_increase_is_better(self):
        self.assertEqual(compared([100, 101, 102], [110, 111, 112], more_is_better=True).verdict, BETTER)
        self.assertEqual(compared([110, 111, 112], [100, 101, 102], more_is_better=True).verdict, WORSE)

    def test_a_difference_within_the_spread_of_base_is_none(self):
        self.assertEqual(compared([90, 100, 110], [115, 116, 117]).verdict, SAME)

    def test_a_difference_within_the_spread_of_head_is_none(self):
        self.assertEqual(compared([100, 101, 102], [105, 116, 125]).verdict, SAME)

    def test_a_difference_as_large_as_the_spread_is_none(self):
        self.assertEqual(compared([100, 105, 110], [115, 115, 115]).verdict, SAME)

    def test_below_the_resolution_even_values_without_spread_are_the_same(self):
        self.assertEqual(compared([1000] * 3, [1009] * 3).verdict, SAME)
        self.assertEqual(compared([1000] * 3, [1011] * 3).verdict, WORSE)

    def test_a_base_of_zero_has_a_verdict_and_no_ratio(self):
        grown = compared([0, 0, 0], [3, 4, 5])
        self.assertEqual((grown.ratio, grown.ratios, grown.spread, grown.verdict), (None, [], None, WORSE))
        self.assertEqual(compared([0, 0, 0], [0, 0, 0]).verdict, SAME)

    def test_one_slow_round_changes_no_verdict_by_itself(self):
        self.assertEqual(compared([100, 100, 100], [100, 100, 300]).verdict, SAME)


if __name__ == "__main__":
    unittest.main()
