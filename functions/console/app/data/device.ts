/** The sign-in of a device that waits for the decision of the signed-in person. */
import { useQuery } from '@tanstack/react-query';
import type { DataOf } from '../../../../shared/client/index.ts';
import { personClient } from '../api/session.ts';
import { useSingleMutation } from '../api/use-single-mutation.ts';

export type DeviceRequest = DataOf<'GET /auth/device'>;
export type Decision = 'approve' | 'deny';

/** Asked once for each code: every call counts as an attempt. */
export const useDeviceRequest = (userCode: string | undefined) =>
  useQuery({
    queryKey: ['device', userCode],
    queryFn: ({ signal }) => personClient.request('GET /auth/device', { query: { userCode: userCode ?? '' }, signal }),
    enabled: userCode !== undefined,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });

export const useDecideDevice = (userCode: string) =>
  useSingleMutation({
    mutationFn: (decision: Decision) => personClient.request('POST /auth/device/decision', { body: { userCode, decision } }),
  });
