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
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => variable(name));
  const body = operation.requestBody?.content['application/json'];
  const lines = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"$BASE${address}"`,
    operation.security.length > 0 && '-H "Authorization: Bearer $TOKEN"',
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

/** inviteId → $INVITE_ID */
const variable = (name: string): string => `$${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
