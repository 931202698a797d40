import type { Parameter } from '../contract/openapi/components.ts';
import { type DocumentedOperation, requiredQuery } from './curl.ts';
import { type Resolve, sampleOf } from './sample.ts';

/** The call of an operation with `shared/client`. */
export const clientCallOf = (
  { method, path, operation }: DocumentedOperation,
  parameters: readonly Parameter[],
  resolve: Resolve,
): string => {
  const route = `'${method.toUpperCase()} ${path.replace(/^\/api\/v1(?=\/)/, '')}'`;
  const params = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
  const query = requiredQuery(parameters, resolve);
  const body = operation.requestBody?.content['application/json'];
  const input = [
    params.length > 0 && `params: { ${params.join(', ')} }`,
    query.length > 0 && `query: { ${query.map(([name, value]) => `${name}: '${value}'`).join(', ')} }`,
    body && `body: ${literal(sampleOf(body.schema, resolve))}`,
  ].filter(Boolean);
  const call = `${route}${input.length > 0 ? `, { ${input.join(', ')} }` : ''}`;
  if ('302' in operation.responses) return `const { headers } = await client.send(${call});`;
  const isList = parameters.some(({ name }) => name === 'cursor');
  return isList
    ? `for await (const page of client.pages(${call})) {\n  console.log(page.data);\n}`
    : `const data = await client.request(${call});`;
};

/** JSON with names and quotes as TypeScript has them. */
const literal = (value: unknown): string =>
  JSON.stringify(value, null, 2)
    .replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
    .replaceAll(/"((?:[^"\\']|\\.)*)"/g, "'$1'");
