/**
 * The OpenAPI document and the docs page. In a bundle, infra/bundle/precompute.ts replaces this file by the finished texts, instead of the
 * function contains neither the contract and the generator.
 */
import { describe } from '../contract/openapi/document.ts';
import { docsPage, type Page } from './page.ts';

export const openapiText = (): string => JSON.stringify(describe());
export const page = (): Page => docsPage(describe());
