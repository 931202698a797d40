import { openapiDocument } from '../../../shared/contract/openapi/openapi-document.ts';
import type { Artifact } from '../artifact.ts';
import { postmanCollection } from './postman-collection.ts';

/** The API for machines: an OpenAPI document, and a collection of all calls for Postman and its like. */
export const description: Artifact = {
  name: 'description',
  build: async () => {
    const document = openapiDocument();
    return {
      files: {
        'openapi.json': `${JSON.stringify(document, null, 2)}\n`,
        'postman.json': `${JSON.stringify(postmanCollection(document), null, 2)}\n`,
      },
    };
  },
};
