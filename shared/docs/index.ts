export { openapiText, page } from './finished.ts';
