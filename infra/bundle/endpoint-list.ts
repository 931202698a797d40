import { openapiDocument } from '../../shared/contract/openapi/openapi-document.ts';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? character);

/** All endpoints and events as plain HTML, for readers of /docs without scripts: curl, text browsers, search engines. */
export const endpointList = (): string => {
  const { info, tags, paths, webhooks } = openapiDocument();
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, call: `${method.toUpperCase()} ${path}` })),
  );
  const sections = tags.map(({ name, description }) => {
    const items = operations
      .filter((operation) => operation.tags.includes(name))
      .map((operation) => entry(operation.operationId, operation.call, `${operation.summary}. ${operation.description}`));
    return `<h2>${escaped(name)}</h2><p>${escaped(description)}.</p><ul>\n${items.join('\n')}\n</ul>`;
  });
  const events = Object.entries(webhooks).map(([name, { post }]) => entry(`event.${name}`, name, post.summary));
  return `<h1>${escaped(info.title)}</h1>
<p>${escaped(info.summary)}. Version ${escaped(info.version)}. Fields, examples and errors are in <a href="/api/v1/openapi.json">OpenAPI</a>; with JavaScript this page shows them, with search and guides.</p>
${info.description
  .split('\n\n')
  .map((paragraph) => `<p>${escaped(paragraph)}</p>`)
  .join('\n')}
${sections.join('\n')}
<h2>Events</h2><ul>
${events.join('\n')}
</ul>`;
};

const entry = (id: string, name: string, text: string): string =>
  `<li id="${escaped(id)}"><code>${escaped(name)}</code> ${escaped(text)}</li>`;
