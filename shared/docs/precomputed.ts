/**
 * The description, ready to be served. A bundle has the finished texts in the place of this file (infra/bundle/precompute.ts), so that the
 * function that serves them carries neither the contract nor what makes a description of it.
 */
import { openapiDocument } from '../contract/openapi/openapi-document.ts';
import { docsPage, type Page } from './page.ts';

export const openapiText = (): string => JSON.stringify(openapiDocument());
export const page = (): Page => docsPage(openapiDocument());
