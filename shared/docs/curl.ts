import type { Parameter } from '../contract/openapi/components.ts';
import type { Operation } from '../contract/openapi/operation.ts';
import { type Resolve, sampleOf } from './sample.ts';

export interface DocumentedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Bodies that are longer have a line for each field. */
const lineMax = 60;

/** The curl command of an operation. */
export const curlOf = (
  { method, path, operation }: DocumentedOperation,
  parameters: readonly Parameter[],
  resolve: Resolve,
): string => {
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${variableOf(name)}`);
  const query = requiredQuery(parameters, resolve).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const isOfBrowser = operation.security.length > 0 && operation.security.every((scheme) => 'sessionCookie' in scheme);
  const body = operation.requestBody?.content['application/json'];
  const lines = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"$BASE${[address, ...(query.length > 0 ? [query.join('&')] : [])].join('?')}"`,
    operation.security.length > 0 && !isOfBrowser && '-H "Authorization: Bearer $TOKEN"',
    isOfBrowser && '-H "Cookie: $COOKIE" \\\n  -H "Origin: $BASE"',
    parameters.some(({ name }) => name === 'X-Organization-Id') && '-H "X-Organization-Id: $ORGANIZATION"',
    parameters.some(({ name }) => name === 'Idempotency-Key') && '-H "Idempotency-Key: $(uuidgen)"',
    body && '-H "Content-Type: application/json"',
    body && `-d '${jsonText(sampleOf(body.schema, resolve)).replaceAll("'", `'\\''`)}'`,
  ];
  return lines.filter(Boolean).join(' \\\n  ');
};

const jsonText = (value: unknown): string => {
  const line = JSON.stringify(value);
  return line.length > lineMax ? JSON.stringify(value, null, 2) : line;
};

/** inviteId → INVITE_ID. The token of an invitation is another than that of the caller. */
export const variableOf = (name: string): string =>
  name === 'token' ? 'INVITATION_TOKEN' : name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

/** The query parameters that a call must have, with sample values. */
export const requiredQuery = (parameters: readonly Parameter[], resolve: Resolve): readonly (readonly [string, string])[] =>
  parameters.flatMap((parameter) =>
    parameter.in === 'query' && parameter.required
      ? [[parameter.name, String(sampleOf(parameter.schema, resolve))] as const]
      : [],
  );
