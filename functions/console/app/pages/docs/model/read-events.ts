import type { Parameter } from '../../../../../../shared/contract/openapi/components.ts';
import type { Schema } from '../../../../../../shared/contract/openapi/json-schema.ts';
import type { Document } from '../../../../../../shared/contract/openapi/openapi-document.ts';
import { type Resolve, sampleOf } from '../../../../../../shared/docs/sample.ts';

export interface EventFormat {
  /** `standard` or `simple`. */
  readonly name: string;
  readonly schema: Schema;
  readonly sample: string;
}

export interface ServiceEvent {
  readonly name: string;
  /** The anchor. */
  readonly id: string;
  /** The part before the dot: `backup`. */
  readonly family: string;
  readonly summary: string;
  readonly headers: readonly Parameter[];
  readonly formats: readonly EventFormat[];
}

/** The events as delivered to webhooks, each with a sample in every format. */
export const readEvents = ({ webhooks }: Document, resolve: Resolve): readonly ServiceEvent[] =>
  Object.entries(webhooks).map(([name, { post }]) => {
    const { schema } = post.requestBody.content['application/json'];
    const formats = ((schema.oneOf as readonly Schema[] | undefined) ?? [schema]).map((one) =>
      typeof one.$ref === 'string' ? resolve(one.$ref) : one,
    );
    return {
      name,
      id: `event.${name}`,
      family: name.split('.')[0] ?? name,
      summary: post.summary,
      headers: post.parameters,
      formats: formats.map((format) => ({
        name: 'event' in (format.properties as object) ? 'simple' : 'standard',
        schema: format,
        sample: JSON.stringify(sampleOf(format, resolve), null, 2),
      })),
    };
  });
