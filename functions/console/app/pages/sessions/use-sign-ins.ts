/** The sign-ins of the person: browsers, devices and applications. */
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { DataOf } from '../../../../../shared/client/index.ts';
import { personClient } from '../../api/session.ts';
import { useSingleMutation } from '../../api/use-single-mutation.ts';
import { describeFailure } from '../../format/describe-failure.ts';
import { showToast } from '../../ui/overlay/toast.tsx';

export type SignIn = DataOf<'GET /auth/sessions'>[number];

const queryKey = ['sessions'];

export const useSignIns = () => {
  const query = useInfiniteQuery({
    queryKey,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) => personClient.page('GET /auth/sessions', { query: { cursor: pageParam }, signal }),
    getNextPageParam: ({ pagination }) => pagination.nextCursor ?? undefined,
  });
  const { data } = query;
  const items = useMemo(() => data?.pages.flatMap((page) => page.data), [data]);
  return { items, query };
};

export const useEndSignIn = () =>
  useSignInChange({
    mutationFn: (sessionId: string) => personClient.request('DELETE /auth/sessions/{sessionId}', { params: { sessionId } }),
    done: () => 'The sign-in has ended',
  });

export const useEndOtherSignIns = () =>
  useSignInChange({
    mutationFn: (_: undefined) => personClient.request('POST /auth/sessions/revoke-all', { body: { exceptCurrent: true } }),
    done: ({ revoked }) => (revoked === 1 ? 'One sign-in has ended' : `${revoked} sign-ins have ended`),
  });

const useSignInChange = <V, T>({
  mutationFn,
  done,
}: {
  readonly mutationFn: (input: V) => Promise<T>;
  readonly done: (result: T) => string;
}) => {
  const queries = useQueryClient();
  return useSingleMutation<T, V>({
    mutationFn,
    onSuccess: (result) => {
      showToast(done(result), 'good');
      return queries.invalidateQueries({ queryKey });
    },
    onError: (error) => {
      const { message, advice } = describeFailure(error);
      showToast(message, 'bad', advice);
      return queries.invalidateQueries({ queryKey });
    },
  });
};
