export { openapiText, page } from './precomputed.ts';
