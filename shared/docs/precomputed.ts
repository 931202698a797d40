/**
 * The API description as served. Bundles contain this text, computed while bundling (infra/bundle/precompute.ts), instead of the
 * contract and the code that describes it.
 */
import { openapiDocument } from '../contract/openapi/openapi-document.ts';

export const openapiText = (): string => JSON.stringify(openapiDocument());
