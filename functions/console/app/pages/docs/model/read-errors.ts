import type { Document } from '../../../../../../shared/contract/openapi/openapi-document.ts';

export interface ServiceError {
  readonly code: string;
  readonly status: number;
  readonly meaning: string;
}

/** Every error code, from the shared error responses: their names are the codes, their descriptions `CODE: meaning. CODE: meaning`. */
export const readErrors = ({ paths, components }: Document): readonly ServiceError[] => {
  const found = new Map<string, ServiceError>();
  for (const methods of Object.values(paths))
    for (const { responses } of Object.values(methods))
      for (const [status, response] of Object.entries(responses)) {
        if (!('$ref' in response)) continue;
        const name = response.$ref.split('/').at(-1) ?? '';
        const { description = '' } = components.responses[name] ?? {};
        for (const [code, meaning] of meaningsOf(name.split('.'), description))
          found.set(code, { code, status: Number(status), meaning });
      }
  return [...found.values()].sort((one, other) => one.status - other.status || one.code.localeCompare(other.code));
};

const meaningsOf = (codes: readonly string[], description: string): readonly (readonly [code: string, meaning: string])[] => {
  const starts = codes.map((code) => description.indexOf(`${code}: `));
  return codes.map((code, index) => {
    const end = starts[index + 1] ?? description.length;
    return [code, description.slice((starts[index] ?? 0) + code.length + 2, end).replace(/\. $/, '')];
  });
};
