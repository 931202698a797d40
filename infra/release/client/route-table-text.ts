import { apiPrefix, type Endpoint } from '../../../shared/contract/endpoint.ts';
import { endpoints } from '../../../shared/contract/index.ts';
import { inputSchema, referTo, type Schema } from '../../../shared/contract/openapi/json-schema.ts';
import { openapiDocument } from '../../../shared/contract/openapi/openapi-document.ts';
import { docText, typeText } from './type-text.ts';

/** What stands for `shared/client/route-table.ts` in the package: the same types, without zod, and with the texts of the API docs. */
export const routeTableText = (): string => {
  const { schemas } = openapiDocument().components;
  const named = Object.entries(schemas as Readonly<Record<string, Schema>>).map(
    ([name, schema]) => `${docText(schema.description)}export type ${name} = ${typeText(schema)};\n`,
  );
  const rows = endpoints.filter(({ reply }) => reply !== 'redirect').map(rowText);
  const events = Object.keys(schemas).filter((name) => name.endsWith('Event') && name !== 'WebhookEvent');
  const [simple, standard] = [events.filter((name) => isSimple(name)), events.filter((name) => !isSimple(name))];
  return [
    '/** What calls take and return, and what webhooks receive. */\n',
    `/** By method and path below ${apiPrefix}. Other paths are complete. */\nexport interface RouteTable {\n${rows.join('')}}\n`,
    `/** The body of a delivery in the standard format. \`type\` tells which event it is. */\nexport type StandardEvent = ${standard.join(' | ')};\n`,
    `/** The body of a delivery in the simple format. \`event\` tells which event it is. */\nexport type SimpleEvent = ${simple.join(' | ')};\n`,
    ...named,
  ].join('\n');
};

const isSimple = (name: string): boolean => name.endsWith('SimpleEvent');

const rowText = (endpoint: Endpoint): string => {
  const { method, path, summary, query, body, bodyOptional = false, list, paged, idempotent = false } = endpoint;
  const below = path.startsWith(`${apiPrefix}/`) ? path.slice(apiPrefix.length) : path;
  const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `readonly ${name}: string`);
  const fields = {
    params: params.length > 0 ? `{ ${params.join('; ')} }` : 'unknown',
    query: query ? typeText(withTexts(inputSchema(query)), '    ') : 'unknown',
    body: body ? typeText(referTo(body, 'input'), '    ') : 'never',
    bodyOptional,
    data: dataText(endpoint),
    list: list !== undefined,
    paged: list !== undefined || paged === true,
    idempotent,
  };
  const lines = Object.entries(fields).map(([name, type]) => `    readonly ${name}: ${type};\n`);
  return `${docText(summary, '  ')}  readonly ${JSON.stringify(`${method} ${below}`)}: {\n${lines.join('')}  };\n`;
};

/** Values of a query are sent as text, so numbers and booleans may be given as either. */
const withTexts = (schema: Schema): Schema => {
  const { properties = {} } = schema as { readonly properties?: Readonly<Record<string, Schema>> };
  const loosened = Object.entries(properties).map(([name, field]) => [name, isText(field) ? field : withText(field)]);
  return { ...schema, properties: Object.fromEntries(loosened) };
};
const isText = ({ type, enum: values }: Schema): boolean => type === 'string' || Array.isArray(values);
const withText = ({ description, ...field }: Schema): Schema => ({ description, anyOf: [field, { type: 'string' }] });

const dataText = ({ list, data, content }: Endpoint): string => {
  if (list) return typeText({ type: 'array', items: referTo(list, 'output') }, '    ');
  if (data) return typeText(referTo(data, 'output'), '    ');
  if (!content) return '{ readonly message: string }';
  const kinds = Object.values(content).map((shape) =>
    shape === 'text' ? 'string' : typeText(unwrapped(referTo(shape, 'output')), '    '),
  );
  return [...new Set(kinds)].join(' | ');
};

/** A file that repeats its content under `data` counts as an envelope. */
const unwrapped = (schema: Schema): Schema => {
  const { $ref } = schema as { readonly $ref?: string };
  const schemas = openapiDocument().components.schemas as Readonly<Record<string, Schema>>;
  const resolved = $ref === undefined ? schema : (schemas[$ref.replace('#/components/schemas/', '')] ?? {});
  const { success, data } = (resolved.properties ?? {}) as { readonly success?: Schema; readonly data?: Schema };
  return success && data ? data : schema;
};
