/** AWS's query protocol: the call is a form, the answer XML. Lists are `Name.member.1`, or `<member>`. */
import { randomUUID } from 'node:crypto';
import type { Answer, AwsError, Engine, Json, Service } from '../../base/aws-service.ts';

export const queryService = (engine: Engine, namespace: string): Service => ({
  read: ({ body, path }) => {
    const {
      Action = '',
      Version: _,
      ...fields
    } = Object.fromEntries(new URLSearchParams(body.length > 0 ? body.toString() : new URL(path, 'http://local').search));
    return { action: Action, input: nestedFields(fields) };
  },
  needs: (operation) => engine.needs(operation),
  answer: async (operation) => {
    const { action } = operation;
    const result = elements((await engine.call(operation)) ?? {});
    return reply(
      200,
      `<${action}Response xmlns="${namespace}"><${action}Result>${result}</${action}Result><ResponseMetadata><RequestId>${randomUUID()}</RequestId></ResponseMetadata></${action}Response>`,
    );
  },
  refuse: ({ code, message, status }: AwsError) =>
    reply(
      code.startsWith('AccessDenied') ? 403 : status,
      `<ErrorResponse xmlns="${namespace}"><Error><Type>Sender</Type><Code>${code}</Code><Message>${escaped(message)}</Message></Error><RequestId>${randomUUID()}</RequestId></ErrorResponse>`,
    ),
});

const reply = (status: number, body: string): Answer => ({ status, headers: { 'content-type': 'text/xml' }, body });

/** `Parameters.member.1.ParameterKey=Plan` → `{ Parameters: [{ ParameterKey: 'Plan' }] }` */
const nestedFields = (fields: Readonly<Record<string, string>>): Json => {
  type Node = { [key: string]: Node | string };
  const root: Node = {};
  for (const [path, value] of Object.entries(fields)) {
    const keys = path.split('.');
    const last = keys.pop() ?? '';
    let node = root;
    for (const key of keys) {
      node[key] ??= {};
      node = node[key] as Node;
    }
    node[last] = value;
  }
  const lists = (node: Node | string): unknown => {
    if (typeof node === 'string') return node;
    if (typeof node.member === 'object') return Object.values(node.member).map(lists);
    return Object.fromEntries(Object.entries(node).map(([key, its]) => [key, lists(its)]));
  };
  return lists(root) as Json;
};

const elements = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((each) => `<member>${elements(each)}</member>`).join('');
  if (typeof value !== 'object') return escaped(String(value));
  return Object.entries(value)
    .filter(([, its]) => its !== undefined)
    .map(([key, its]) => `<${key}>${elements(its)}</${key}>`)
    .join('');
};

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
