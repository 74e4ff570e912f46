"""The page that a platform team opens each morning, made of rows that others computed."""

from __future__ import annotations

from spark.report.html import check_drawing as check_drawing, html_of as html_of
from spark.report.markdown import markdown_of as markdown_of
from spark.report.material import GroupMaterial as GroupMaterial, Material as Material
from spark.report.sums import (
    answers_of as answers_of,
    clusters_of as clusters_of,
    figures_of as figures_of,
    group_rows as group_rows,
    kinds_of as kinds_of,
    loads_of as loads_of,
    of_groups as of_groups,
    one_of as one_of,
    weights_of as weights_of,
    worst_groups as worst_groups,
)
