// What is wrong with the pictures that a page shows, one line each. Half a pixel is no overlap.
(() => {
  const slack = 0.5, found = [];
  const within = (inner, outer) => inner.left >= outer.left - slack && inner.right <= outer.right + slack &&
    inner.top >= outer.top - slack && inner.bottom <= outer.bottom + slack;
  const overlaps = (one, other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > slack &&
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > slack;
  const shown = [...document.querySelectorAll("svg")].filter(each => each.checkVisibility());
  if (!shown.length) found.push("no visible picture");
  for (const svg of shown) {
    const view = svg.getBoundingClientRect(), scale = svg.getScreenCTM().a;
    if (view.right > document.documentElement.clientWidth + slack) found.push("wider than the page");
    const boxes = [...svg.querySelectorAll("rect")].map(each => each.getBoundingClientRect());
    for (const each of svg.querySelectorAll("text, rect, line"))
      if (!within(each.getBoundingClientRect(), view))
        found.push(`outside the view: ${each.tagName} ${each.textContent}`);
    const texts = [...svg.querySelectorAll("text")].map(each => [each.textContent, each.getBoundingClientRect(), each]);
    texts.forEach(([text, box, each], at) => {
      const size = parseFloat(getComputedStyle(each).fontSize) * scale;
      if (size < 11) found.push(`${size.toFixed(1)} px: ${text}`);
      texts.slice(at + 1).forEach(([other, its]) => {
        if (overlaps(box, its)) found.push(`overlap: ${text} | ${other}`);
      });
      // letters need not fill the height of a line, so that a text may leave a small box above and below
      boxes.filter(its => overlaps(box, its) && (box.left < its.left - slack || box.right > its.right + slack))
        .forEach(() => found.push(`beyond its box: ${text}`));
    });
    if (!texts.length || !texts.every(([, box]) => box.width && box.height)) found.push("no visible text");
  }
  return found;
})()
