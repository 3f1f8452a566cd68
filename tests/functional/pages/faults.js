// What is wrong with the pictures of a page, one line each. Half a pixel is no overlap.
(() => {
  const slack = 0.5, found = [];
  const within = (inner, outer) => inner.left >= outer.left - slack && inner.right <= outer.right + slack &&
    inner.top >= outer.top - slack && inner.bottom <= outer.bottom + slack;
  const overlaps = (one, other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > slack &&
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > slack;
  for (const svg of document.querySelectorAll("svg")) {
    const view = svg.getBoundingClientRect();
    for (const each of svg.querySelectorAll("text, path, polygon, polyline, ellipse"))
      if (!within(each.getBoundingClientRect(), view))
        found.push(`outside the view: ${each.tagName} ${each.textContent}`);
    const texts = [...svg.querySelectorAll("text")].map(each => [each.textContent, each.getBoundingClientRect()]);
    texts.forEach(([text, box], at) => texts.slice(at + 1).forEach(([other, its]) => {
      if (overlaps(box, its)) found.push(`overlap: ${text} | ${other}`);
    }));
    if (!texts.length || !texts.every(([, box]) => box.width && box.height)) found.push("no visible text");
  }
  return found;
})()
