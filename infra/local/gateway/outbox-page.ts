/** The outbox: e-mails the service sent, as a page and as JSON. */

import { type Html, html, page } from '../base/html.ts';
import type { Mail } from '../base/types.ts';
import type { Reply } from './http-event.ts';

const outboxPath = '/_local/outbox';

export const outboxPage = (path: string, mails: readonly Mail[]): Reply | undefined => {
  if (path === `${outboxPath}.json`) {
    return {
      status: 200,
      headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
      body: Buffer.from(JSON.stringify(mails)),
    };
  }
  if (path !== outboxPath) return undefined;
  const list = mails.length === 0 ? html`<p>No e-mails yet.</p>` : html`${mails.map(article)}`;
  return { status: 200, ...page('Outbox', list) };
};

const article = (mail: Mail): Html => html`<article><h2>${mail.subject}</h2>
<dl><dt>From</dt><dd>${mail.from}</dd><dt>To</dt><dd>${mail.to.join(', ')}</dd><dt>Sent</dt><dd>${mail.sentAt}</dd></dl>
<pre>${withLinks(mail.text)}</pre></article>
`;

/** Only http and https URLs become links. */
const withLinks = (text: string): Html => {
  const pieces = text.split(/(https?:\/\/[^\s<>"']+)/);
  return html`${pieces.map((piece, n) => (n % 2 === 1 ? html`<a href="${piece}" rel="noreferrer">${piece}</a>` : html`${piece}`))}`;
};
