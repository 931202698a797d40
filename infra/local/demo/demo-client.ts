/** Client of the stage's public API for the demo. */
export interface DemoClient {
  /** Returns `data`; throws the API's error. */
  call<T>(method: string, path: string, body?: object): Promise<T>;
}

export const demoClient = (url: string, accessToken: string, organizationId?: string): DemoClient => ({
  call: async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${accessToken}`,
        ...(organizationId !== undefined && { 'x-organization-id': organizationId }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const { data, error } = (await answer.json()) as { data: T; error?: { code: string; message: string } };
    if (error) throw new Error(`${method} ${path} answered ${answer.status} ${error.code}: ${error.message}`);
    return data;
  },
});
