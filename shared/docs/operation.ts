/** The section of the docs page about one operation. */
import type { ErrorCode } from '../contract/errors.ts';
import type { Parameter, Ref, Response } from '../contract/openapi/components.ts';
import { errorDescriptions } from '../contract/openapi/error-responses.ts';
import type { Schema } from '../contract/openapi/json-schema.ts';
import { curlOf, type DocumentedOperation } from './curl.ts';
import { type Html, html } from './html.ts';
import { sampleOf } from './sample.ts';
import { fieldTable, notes, typeText } from './schema.ts';

/** Resolves a reference into the components of the OpenAPI document. */
export type Lookup = (ref: string) => unknown;

export const operationSection = (documented: DocumentedOperation, lookup: Lookup): Html => {
  const { method, path, operation } = documented;
  const parameters = operation.parameters.map((parameter) =>
    '$ref' in parameter ? (lookup(parameter.$ref) as Parameter) : parameter,
  );
  const responses = Object.entries(operation.responses);
  const successes = responses.filter((entry): entry is [string, Response] => !('$ref' in entry[1]));
  const failures = responses.filter((entry): entry is [string, Ref] => '$ref' in entry[1]);
  const body = operation.requestBody;
  const resolve = (ref: string): Schema => lookup(ref) as Schema;
  return html`<section class="operation" id="${operation.operationId}">
<h3><a href="#${operation.operationId}">${operation.summary}</a></h3>
<p class="address">${badge(method)}<code>${path}</code></p>
<p>${operation.description}</p>
<h4>Call</h4><pre><code>${curlOf(documented, parameters, resolve)}</code></pre>
${parameters.length > 0 && html`<h4>Parameters</h4>${parameterTable(parameters)}`}
${body && html`<h4>Body${!body.required && html` <span class="quiet">optional</span>`}</h4>${fieldTable(body.content['application/json']?.schema ?? {}, 'request')}`}
<h4>Response</h4>${successes.map(([status, response]) => responsePart(status, response, resolve))}
<details><summary>Errors</summary>${errorTable(failures)}</details>
</section>`;
};

export const badge = (method: string): Html => html`<span class="method ${method}">${method.toUpperCase()}</span>`;

const parameterTable = (parameters: readonly Parameter[]): Html =>
  html`<table><thead><tr><th>Name</th><th>In</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${parameters.map(
    ({ name, in: location, required, description, schema }) =>
      html`<tr><td><code>${name}</code>${required && html`<span class="required">required</span>`}</td><td>${location}</td><td>${typeText(schema)}</td><td>${notes({ ...schema, description })}</td></tr>`,
  )}</tbody></table>`;

const responsePart = (status: string, { description, content = {} }: Response, resolve: (ref: string) => Schema): Html =>
  html`<p><span class="status">${status}</span> ${description}</p>${Object.entries(content).map(([type, { schema }]) =>
    type.includes('json')
      ? html`<pre><code>${JSON.stringify(sampleOf(schema, resolve), null, 2)}</code></pre><details><summary>Fields</summary>${fieldTable(rowsOf(schema), 'response')}</details>`
      : html`<p class="quiet">${type}</p>`,
  )}`;

/** The fields of an array are those of its elements. */
const rowsOf = (schema: Schema): Schema => (schema.items as Schema | undefined) ?? schema;

const errorTable = (responses: readonly (readonly [string, Ref])[]): Html =>
  html`<table><thead><tr><th>Status</th><th>Code</th><th>Meaning</th></tr></thead><tbody>${responses.flatMap(
    ([status, { $ref }]) =>
      codesOf($ref).map(
        (code) => html`<tr><td>${status}</td><td><code>${code}</code></td><td>${errorDescriptions[code]}</td></tr>`,
      ),
  )}</tbody></table>`;

/** A shared error response is named by its codes. */
const codesOf = (ref: string): readonly ErrorCode[] => (ref.split('/').at(-1) ?? '').split('.') as ErrorCode[];
