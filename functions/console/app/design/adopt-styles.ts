/**
 * Applies every .css file below app/, in the order design, ui, frame, pages. They are part of the script, which saves a request, and
 * are adopted as objects: the Content-Security-Policy allows no inline style.
 */
const files = import.meta.glob<string>('../**/*.css', { query: '?inline', import: 'default', eager: true });

const order = ['./tokens.css', './base.css', '../ui/', '../frame/', '../forms/', '../parts/', '../pages/'];
const rankOf = (path: string): number => order.findIndex((prefix) => path.startsWith(prefix));

export const adoptStyles = (): void => {
  const sheet = new CSSStyleSheet();
  const paths = Object.keys(files).sort((a, b) => rankOf(a) - rankOf(b) || a.localeCompare(b));
  sheet.replaceSync(paths.map((path) => files[path]).join('\n'));
  document.adoptedStyleSheets = [sheet];
};

if (import.meta.hot) {
  import.meta.hot.accept((updated) => updated?.adoptStyles());
}
