"use strict";
// Sorts, filters and opens rows, draws loads, copies commands. Nothing is fetched.
const $ = (selector, from = document) => from.querySelector(selector);
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
const make = (tag, properties = {}, ...children) => {
  const one = Object.assign(document.createElement(tag), properties);
  one.append(...children);
  return one;
};
const data = JSON.parse($("#data").textContent);
document.documentElement.classList.add("js");

// how old the snapshot is now, not when the page was written
const age = $("#age");
if (age) {
  const minutes = Math.max(0, Math.floor((Date.now() - Date.parse($("time").dateTime)) / 60000));
  const [size, noun] = minutes >= 1440 ? [1440, "day"] : minutes >= 60 ? [60, "hour"] : [1, "minute"];
  const count = Math.floor(minutes / size);
  age.textContent = `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"} old`;
  age.classList.toggle("stale", minutes >= 2880);
}

for (const code of all(".command code")) {
  const button = make("button", { type: "button", className: "copy", textContent: "Copy" });
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
  code.after(button);
}

// a chip shows one cluster, or several, on the whole page; trend and strategies stay the fleet's
const chosen = new Set();
const numbers = all("[data-number]").map((one) => [one, one.textContent]);
const short = (value) => {
  for (const [size, noun] of [[1e12, "trillion"], [1e9, "billion"], [1e6, "million"]])
    if (value >= size) return `${Number((value / size).toPrecision(4)).toLocaleString("en")} ${noun}`;
  return value.toLocaleString("en");
};
const choose = () => {
  const wanted = (one) => !chosen.size || chosen.has(one.dataset.c);
  for (const one of all("[data-c]:not(#table tr)")) one.hidden = !wanted(one);
  for (const kind of all("details.kind")) kind.hidden = !all("li", kind).some(wanted);
  const sums = [0, 1, 2, 3].map((at) => {
    const known = [...chosen].map((one) => data.clusters[one]?.[at]).filter((one) => one != null);
    return known.length ? known.reduce((a, b) => a + b, 0) : null;
  });
  for (const [one, was] of numbers) {
    const sum = sums[["groups", "uneven", "idle", "lag"].indexOf(one.dataset.number)];
    one.textContent = !chosen.size ? was : sum === null ? "unknown" : short(sum);
    for (const other of all(".of, .change, .line", one.parentNode)) other.toggleAttribute("hidden", chosen.size > 0);
  }
};

const table = $("#table");
if (table) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const FIRST = Number(table.dataset.open);
  const search = $("#search"), kind = $("#kind"), matches = $("#matches");
  const more = make("button", { type: "button", className: "all" });
  const group = (row) => $("a", row).textContent;
  const kindsOf = (row) => $("td .vh", row)?.textContent ?? "";
  // as options do: * and ? fit a whole name, other text any part of a name or cluster
  const pattern = (text) => {
    const plain = text.replace(/[.+^${}()|[\]\\]/g, "\\$&");
    if (!/[*?]/.test(text)) return (row) => new RegExp(plain, "i").test(row.cells[0].textContent);
    const whole = new RegExp(`^${plain.replace(/\*/g, ".*").replace(/\?/g, ".")}$`, "i");
    return (row) => whole.test(group(row));
  };

  const show = () => {
    const isWanted = pattern(search.value.trim());
    let shown = 0;
    for (const row of body.rows) {
      if (row.className === "opened") continue;
      const fits =
        isWanted(row) &&
        (!kind.value || kindsOf(row).split(", ").includes(kind.value)) &&
        (!chosen.size || chosen.has(row.dataset.c));
      row.hidden = !fits;
      row.classList.toggle("over", fits && shown >= FIRST);
      shown += fits;
    }
    for (const line of all(".opened", body)) line.hidden = line.previousElementSibling.hidden;
    const filtered = search.value || kind.value || chosen.size;
    matches.textContent = filtered ? `${shown.toLocaleString("en")} of ${rows.length.toLocaleString("en")} groups` : "";
    more.hidden = shown <= FIRST || table.classList.contains("expanded");
    more.textContent = `Show all ${shown.toLocaleString("en")} groups`;
  };
  $(".tools").hidden = false;
  search.addEventListener("input", show);
  kind.addEventListener("change", show);
  more.addEventListener("click", () => (table.classList.add("expanded"), show()));
  table.parentNode.after(more);

  for (const chip of all("[data-chip]")) {
    const button = make("button", { type: "button" }, ...chip.childNodes);
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => {
      const is = button.getAttribute("aria-pressed") === "true";
      button.setAttribute("aria-pressed", String(!is));
      if (is) chosen.delete(chip.dataset.chip);
      else chosen.add(chip.dataset.chip);
      choose();
      show();
    });
    chip.append(button);
  }

  // sorted by a column; numbers begin with the largest
  const value = (row, at) => {
    const cell = row.cells[at];
    if ("v" in cell.dataset) return Number(cell.dataset.v);
    return cell.matches(".number") ? Number(cell.textContent.replaceAll(",", "")) || 0 : cell.textContent.toLowerCase();
  };
  [...table.tHead.rows[0].cells].forEach((head, at) => {
    const button = make("button", { type: "button" }, ...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const numbers = typeof value(rows[0], at) === "number";
      const was = head.getAttribute("aria-sort");
      const down = was ? was === "ascending" : numbers;
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      all(".opened", body).forEach(close);
      const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
      const sorted = [...rows].sort((a, b) => order(value(a, at), value(b, at)) * (down ? -1 : 1));
      body.append(...sorted);
      show();
    });
  });

  // members' loads: a dot now, a dot planned, and a line between them
  const loads = (found) => {
    const most = Math.max(1, ...found.m.flatMap((one) => [one[1], one[2]]));
    const at = (load) => `${(100 * load) / most}%`;
    const grid = make("div", { className: "loads" });
    for (const [member, now, planned] of found.m) {
      const line = make("b"), from = make("i", { className: "now" }), to = make("i", { className: "planned" });
      line.style.setProperty("--x", at(Math.min(now, planned)));
      line.style.setProperty("--w", at(Math.abs(now - planned)));
      from.style.setProperty("--x", at(now));
      to.style.setProperty("--x", at(planned));
      grid.append(make("span", { textContent: member }), make("span", { className: "track" }, line, from, to),
        make("span", { textContent: now === planned ? `${now}` : `${now} → ${planned}` }));
    }
    return grid;
  };

  const opened = (row) => {
    const cell = make("td", { colSpan: row.cells.length });
    const [members, partitions, takeovers] = row.dataset.n.split(" ").map(Number);
    const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
    const found = data.loads[row.id];
    cell.append(make("h3", { textContent: [count(members, "member"), count(partitions, "partition"), count(takeovers, "takeover")].join(", ") }));
    const told = all(`[data-g="${row.id}"]`, $("#findings"));
    if (told.length) {
      const text = (one) => $(".vh", one).textContent + $(".what", one).textContent;
      cell.append(make("ul", {}, ...told.map((one) => make("li", { textContent: text(one) }))));
    } else if (kindsOf(row)) cell.append(make("p", { textContent: `Findings: ${kindsOf(row)}.` }));
    if (found) {
      const prefix = found.p ? `, whose ids begin with ${found.p}` : "";
      const rest = members > found.m.length ? ` (the ${found.m.length} that change most)` : "";
      cell.append(make("h3", { textContent: `Partitions of members${rest}${prefix}` }), loads(found));
    }
    const deep = $(`[data-more="${row.id}"]`);
    if (deep) cell.append(...[...deep.children].slice(1).map((one) => one.cloneNode(true)));
    return make("tr", { className: "opened" }, cell);
  };
  const close = (line) => {
    $("a", line.previousElementSibling).setAttribute("aria-expanded", "false");
    line.remove();
  };
  const open = (row) => {
    const next = row.nextElementSibling;
    if (next && next.className === "opened") return close(next);
    $("a", row).setAttribute("aria-expanded", "true");
    row.after(opened(row));
  };
  for (const row of rows) {
    const link = $("a", row);
    link.setAttribute("role", "button");
    link.setAttribute("aria-expanded", "false");
    link.addEventListener("keydown", (event) => {
      if (event.key === " ") (event.preventDefault(), link.click());
    });
    row.addEventListener("click", (event) => {
      if (!getSelection().isCollapsed) return;
      if (event.target.closest("a")) event.preventDefault();
      history.replaceState(null, "", `#${row.id}`);
      open(row);
    });
  }

  // a link to a row shows and opens it
  const follow = () => {
    const row = rows.find((one) => `#${one.id}` === location.hash);
    if (!row) return;
    if (row.hidden) {
      search.value = kind.value = "";
      for (const one of all("[data-chip] button[aria-pressed=true]")) one.click();
      show();
    }
    if (row.classList.contains("over")) table.classList.add("expanded");
    show();
    if (row.nextElementSibling?.className !== "opened") open(row);
    row.scrollIntoView({ block: "start" });
    $("a", row).focus({ preventScroll: true });
  };
  addEventListener("hashchange", follow);
  for (const link of all("main a[href^='#g-']")) if (!table.contains(link)) link.addEventListener("click", () => setTimeout(follow));
  // what stands in rows needs no section of its own
  const details = $("#details");
  if (details) {
    details.hidden = true;
    $("nav a[href='#details']").parentNode.remove();
  }
  show();
  follow();
}

// one line over all sparklines, and the values at that time
const trend = $("#trend-lines"), axis = $(".trend svg");
if (trend && axis && data.trend) {
  const hair = make("span", { className: "hair", hidden: true });
  trend.append(hair);
  const { instants, values } = data.trend, figures = all(".trend b");
  const last = figures.map((one) => one.textContent);
  trend.addEventListener("pointermove", (event) => {
    const box = axis.getBoundingClientRect(), left = trend.getBoundingClientRect().left;
    const share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    const at = Math.round(share * (instants.length - 1));
    hair.hidden = false;
    hair.style.left = `${box.left - left + (box.width * at) / (instants.length - 1)}px`;
    $("#at").textContent = instants[at];
    figures.forEach((one, line) => (one.textContent = values[line][at]?.toLocaleString("en") ?? "–"));
  });
  trend.addEventListener("pointerleave", () => {
    hair.hidden = true;
    $("#at").textContent = "";
    figures.forEach((one, line) => (one.textContent = last[line]));
  });
}
