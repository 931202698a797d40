/** HTML template literals: interpolated values are escaped unless they are Html. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Piece = string | number | Html | readonly Html[];

export const html = (parts: TemplateStringsArray, ...pieces: readonly Piece[]): Html =>
  new Html(parts.reduce((text, part, n) => text + render(pieces[n - 1] ?? '') + part));

const render = (piece: Piece): string => {
  if (piece instanceof Html) return piece.text;
  if (Array.isArray(piece)) return piece.map((each: Html) => each.text).join('');
  return String(piece).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
};

/** A complete page. It loads no external resources and runs no scripts. */
export const page = (title: string, body: Html): { headers: Record<string, string>; body: Buffer } => ({
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  },
  body: Buffer.from(
    html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>${style}</style></head><body><h1>${title}</h1>
${body}</body></html>
`.text,
  ),
});

const style = new Html(
  `body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0 1rem;color:#222;background:#fff}
button,input[type=email]{font:inherit;padding:.4rem .8rem;border:1px solid #999;border-radius:.3rem;background:#f6f6f6}
button{cursor:pointer}button:hover{background:#e8eefc}ul{list-style:none;padding:0}li{margin:.4rem 0}
article{border:1px solid #ccc;border-radius:.3rem;padding:0 1rem;margin:1rem 0}pre{white-space:pre-wrap;overflow-wrap:anywhere;font:inherit}
small,dt{color:#666}dl{display:grid;grid-template-columns:max-content 1fr;gap:0 1rem}dd{margin:0}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#1b1b1d}button,input[type=email]{color:inherit;background:#2a2a2e}a{color:#8ab4f8}}`,
);
