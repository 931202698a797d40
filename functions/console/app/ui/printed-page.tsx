import { useEffect } from 'react';

/**
 * Prints a page of the service in place of this one. It has a tree of its own, so that neither page has the styles of the other, and its
 * scripts, if it had any, would not run.
 */
export const PrintedPage = ({ html }: { readonly html: string }) => {
  useEffect(() => {
    // The Content-Security-Policy allows no inline style, not even while a page is parsed.
    const [head, styles = '', rest = ''] = html.split(/<\/?style>/);
    const printed = new DOMParser().parseFromString(`${head}${rest}`, 'text/html');
    const sheet = new CSSStyleSheet({ media: 'print' });
    sheet.replaceSync(styles);
    const host = document.createElement('div');
    host.className = 'printed-page';
    const tree = host.attachShadow({ mode: 'open' });
    tree.adoptedStyleSheets = [sheet];
    tree.replaceChildren(...printed.body.childNodes);
    document.body.append(host);
    // Margins and page numbers are rules of the whole document.
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    return () => {
      host.remove();
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
    };
  }, [html]);
  return null;
};
