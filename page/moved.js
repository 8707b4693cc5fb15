/** Redirect from a section that has moved to another page. */

function follow() {
  const link = document.getElementById(location.hash.slice(1));
  if (link instanceof HTMLAnchorElement && "moved" in link.dataset) location.replace(link.href);
}

addEventListener("hashchange", follow);
follow();
