/**
 * The API description as served. Bundles contain these texts, computed while bundling (infra/bundle/precompute.ts), instead of the
 * contract and the code that describes it.
 */
import { openapiDocument } from '../contract/openapi/openapi-document.ts';
import { docsPage, type Page } from './page.ts';

export const openapiText = (): string => JSON.stringify(openapiDocument());
export const page = (): Page => docsPage(openapiDocument());
