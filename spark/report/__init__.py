"""The page that someone opens on Monday, made of rows that others have worked out."""

from __future__ import annotations

from spark.report.html import check_drawing as check_drawing, html_of as html_of
from spark.report.markdown import markdown_of as markdown_of
from spark.report.material import GroupMaterial as GroupMaterial, Material as Material
from spark.report.sums import (
    clusters_of as clusters_of,
    of_groups as of_groups,
    one_of as one_of,
    worst_groups as worst_groups,
)
