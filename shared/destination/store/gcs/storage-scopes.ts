/** What a token for Cloud Storage is requested for. */
export const storageScopes: readonly string[] = ['https://www.googleapis.com/auth/devstorage.read_write'];
