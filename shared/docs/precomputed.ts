/**
 * The API description as served. Bundles contain these texts, computed while bundling (infra/bundle/precompute.ts), instead of the
 * contract and the code that describes it.
 */
import { describe } from '../contract/openapi/document.ts';
import { docsPage, type Page } from './page.ts';

export const openapiText = (): string => JSON.stringify(describe());
export const page = (): Page => docsPage(describe());
