/** The section of the docs page about webhook events and their bodies in each format. */
import type { Schema } from '../contract/openapi/json-schema.ts';
import type { WebhookOperation } from '../contract/openapi/webhook-operations.ts';
import { type Html, html } from './html.ts';
import { fieldTable } from './schema.ts';

export const eventPart = (webhooks: Readonly<Record<string, { readonly post: WebhookOperation }>>): Html => {
  const notices = Object.entries(webhooks).map(([name, { post }]) => ({ name, ...post }));
  const headers = new Map(notices.flatMap(({ parameters }) => parameters.map((one) => [one.name, one.description] as const)));
  return html`<h2 id="events">Events</h2><p>Sent as POST to each enabled webhook that subscribes to the event and whose filters match, signed with its secret. Respond with any 2xx status within its timeout. The delivery id identifies duplicates.</p>
<h3>Headers</h3><table><thead><tr><th>Name</th><th>Meaning</th></tr></thead><tbody>${[...headers].map(
    ([name, description]) => html`<tr><td><code>${name}</code></td><td>${description}.</td></tr>`,
  )}</tbody></table>
<h3>Bodies</h3>${notices.map(eventSection)}`;
};

const eventSection = ({ name, summary, description, requestBody }: WebhookOperation & { readonly name: string }): Html => {
  const { schema } = requestBody.content['application/json'];
  const formats = (schema.oneOf as readonly Schema[] | undefined) ?? [schema];
  return html`<details id="event.${name}"><summary><code>${name}</code> ${summary}</summary><p>${description}</p>${formats.map(
    (format) => html`<h4>In the ${String(format.title)} format</h4>${fieldTable(format, 'response')}`,
  )}</details>`;
};
