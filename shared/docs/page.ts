/** The API documentation as one HTML page, without scripts or external resources. */
import { createHash } from 'node:crypto';
import { type ErrorCode, errors } from '../contract/errors.ts';
import { errorDescriptions } from '../contract/openapi/error-responses.ts';
import type { Document } from '../contract/openapi/openapi-document.ts';
import type { DocumentedOperation } from './curl.ts';
import { eventPart } from './event.ts';
import { type Html, html, trusted } from './html.ts';
import { badge, type Lookup, operationSection } from './operation.ts';
import { style } from './style.ts';

export interface Page {
  readonly html: string;
  /** Allows only the page's own style, by its digest. */
  readonly contentSecurityPolicy: string;
}

export const docsPage = (document: Document): Page => ({
  html: page(document).text,
  contentSecurityPolicy: `default-src 'none'; style-src 'sha256-${styleDigest()}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
});

const styleDigest = (): string => createHash('sha256').update(style).digest('base64');

const page = (document: Document): Html => {
  const { info, tags, components, webhooks } = document;
  const entries = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): DocumentedOperation => ({ method, path, operation })),
  );
  const groups = tags.map((tag) => ({ ...tag, entries: entries.filter(({ operation }) => operation.tags.includes(tag.name)) }));
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} ${info.version}</title><style>${trusted(style)}</style></head><body>
<nav aria-label="Operations"><a class="skip" href="#main">Skip to content</a><strong>${info.title}</strong>
<ul><li><a href="#signing-in">Signing in</a></li><li><a href="#errors">Errors</a></li><li><a href="#events">Events</a></li></ul>
${groups.map((group) => html`<h2>${group.name}</h2><ul>${group.entries.map(link)}</ul>`)}</nav>
<main id="main"><h1>${info.title}</h1><p class="quiet">Version ${info.version}. Also available as <a href="/api/v1/openapi.json">OpenAPI ${document.openapi}</a>.</p>
<p><strong>${info.summary}.</strong></p>${info.description.split('\n\n').map((paragraph) => html`<p>${paragraph}</p>`)}
<h2 id="signing-in">Signing in</h2><table><tbody>${Object.entries(components.securitySchemes).map(
    ([name, scheme]) => html`<tr><td><code>${name}</code></td><td>${scheme.description}</td></tr>`,
  )}</tbody></table>
<h2 id="errors">Errors</h2>${errorTable()}
${groups.map(
  (group) => html`<h2>${group.name}</h2><p>${group.description}.</p>
${group.entries.map((entry) => operationSection(entry, lookupIn(document)))}`,
)}
${eventPart(webhooks)}</main></body></html>
`;
};

const link = ({ method, operation }: DocumentedOperation): Html =>
  html`<li><a href="#${operation.operationId}">${badge(method)}${operation.summary}</a></li>`;

const errorTable = (): Html =>
  html`<table><thead><tr><th>Status</th><th>Code</th><th>Meaning</th></tr></thead><tbody>${(
    Object.keys(errors) as ErrorCode[]
  ).map(
    (code) => html`<tr><td>${errors[code]}</td><td><code>${code}</code></td><td>${errorDescriptions[code]}</td></tr>`,
  )}</tbody></table>`;

const lookupIn =
  (document: Document): Lookup =>
  (ref) =>
    ref
      .replace('#/', '')
      .split('/')
      .reduce<unknown>((found, part) => (found as Readonly<Record<string, unknown>>)[part], document);
