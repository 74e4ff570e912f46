"""The page that a platform team opens each morning, of what the capabilities tell of a fleet."""

from __future__ import annotations

from spark.report.gather import Results as Results, material_of as material_of
from spark.report.html import check_drawing as check_drawing, html_of as html_of
from spark.report.markdown import markdown_of as markdown_of
from spark.report.material import GroupMaterial as GroupMaterial, Material as Material
from spark.report.past import fleet_before as fleet_before
