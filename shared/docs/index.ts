export { openapiText } from './precomputed.ts';
