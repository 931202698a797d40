/** What a restore does to a document. */
export type Action = 'create' | 'overwrite' | 'skip' | 'delete' | 'unchanged';
