import { type FormEvent, useState } from 'react';
import { rememberOrganization, signIn } from '../../../api/session.ts';
import { ErrorNotice } from '../../../ui/data/error-notice.tsx';
import { Notice } from '../../../ui/data/notice.tsx';
import { Button } from '../../../ui/form/button.tsx';
import { Input, Select, Textarea } from '../../../ui/form/field.tsx';
import type { Endpoint } from '../model/read-reference.ts';
import { useReference } from '../parts/reference-context.ts';
import { type CallDraft, type DraftProblems, draftOf, readDraft } from './call-draft.ts';
import { ConfirmCall } from './confirm-call.tsx';
import { ParameterInput } from './parameter-input.tsx';
import { TryResponse } from './try-response.tsx';
import { refusalOf, useReader, useTry } from './use-try.ts';

/** A form that sends the call with the reader's own session, and its answer. */
export const TryPanel = ({ endpoint }: { readonly endpoint: Endpoint }) => {
  const { resolve } = useReference();
  const reader = useReader();
  const { session, membership } = reader;
  const [draft, setDraft] = useState<CallDraft>(() => draftOf(endpoint, resolve));
  const [problems, setProblems] = useState<DraftProblems>({});
  const [isAsking, setAsking] = useState(false);
  const attempt = useTry(endpoint, membership?.id);
  const refusal = refusalOf(endpoint, reader);
  const inputs = endpoint.parameters.filter((parameter) => parameter.in !== 'header');
  const isIdempotent = endpoint.parameters.some(({ name }) => name === 'Idempotency-Key');
  const send = (): void => {
    setAsking(false);
    attempt.mutate(draft);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (refusal !== undefined || attempt.isPending) return;
    const call = readDraft(endpoint, draft);
    setProblems('problems' in call ? call.problems : {});
    if ('problems' in call) return;
    if (endpoint.method === 'GET') send();
    else setAsking(true);
  };
  return (
    <section className="stack docs-try" aria-label={`Try it: ${endpoint.title}`}>
      {reader.isLoading || session || endpoint.access === 'public' ? null : <SignInOffer endpoint={endpoint} />}
      <form className="stack stack--medium" onSubmit={submit} noValidate>
        {endpoint.access === 'organization' && session && membership && (
          <Select
            label="Organization"
            hint="Sent as X-Organization-Id. The console uses the same one."
            value={membership.id}
            onChange={({ target }) => rememberOrganization(target.value)}
          >
            {session.organizations.map(({ id, name, role }) => (
              <option key={id} value={id}>
                {name} ({role})
              </option>
            ))}
          </Select>
        )}
        {inputs.map((parameter) => (
          <ParameterInput
            key={parameter.name}
            endpoint={endpoint}
            parameter={parameter}
            values={draft.values}
            organizationId={membership?.id}
            error={problems[parameter.name]}
            onChange={(value) => setDraft({ ...draft, values: { ...draft.values, [parameter.name]: value } })}
          />
        ))}
        {isIdempotent && (
          <Input
            label="Idempotency-Key"
            optional
            mono
            hint="A new one is made for each call if it is empty."
            value={draft.idempotencyKey}
            onChange={({ target }) => setDraft({ ...draft, idempotencyKey: target.value })}
          />
        )}
        {endpoint.body && (
          <Textarea
            label="Body"
            hint="Begins with the example. Put in the ids of your own resources."
            mono
            spellCheck={false}
            rows={Math.min(16, draft.body.split('\n').length + 1)}
            error={problems.body}
            value={draft.body}
            onChange={({ target }) => setDraft({ ...draft, body: target.value })}
          />
        )}
        <div className="row">
          <Button
            type="submit"
            variant={endpoint.isDestructive ? 'danger' : 'primary'}
            busy={attempt.isPending}
            disabledReason={refusal}
          >
            {endpoint.method === 'GET' ? 'Send' : 'Send…'}
          </Button>
          {refusal && session && <span className="small muted">{refusal}</span>}
        </div>
      </form>
      {attempt.error && <ErrorNotice error={attempt.error} title="There was no answer" />}
      {attempt.data && <TryResponse key={attempt.submittedAt} answer={attempt.data} />}
      <ConfirmCall
        open={isAsking}
        endpoint={endpoint}
        draft={draft}
        organization={endpoint.access === 'organization' ? membership?.name : undefined}
        email={session?.email}
        onClose={() => setAsking(false)}
        onConfirm={send}
      />
    </section>
  );
};

const SignInOffer = ({ endpoint }: { readonly endpoint: Endpoint }) => (
  <Notice
    title="Sign in to try it"
    actions={
      <Button size="small" variant="primary" onClick={() => signIn(`/docs/${endpoint.area}#${endpoint.id}`)}>
        Sign in and come back
      </Button>
    }
  >
    The call is sent with your own session, to your own organization.
  </Notice>
);
