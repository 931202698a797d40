import { adviceFor } from '../../../format/describe-failure.ts';
import { CodeView } from '../code/code-view.tsx';
import { useReference } from '../parts/reference-context.ts';
import { Guide, Section } from './guide.tsx';

const example = {
  success: false,
  error: {
    code: 'VALIDATION_ERROR',
    message: 'projectId: is required',
    details: { field: 'projectId', reason: 'is required', errors: [{ field: 'projectId', reason: 'is required' }] },
    requestId: '0b7f9c1e-6a52-4d1c-9e0b-5d2f8a3c4e61',
  },
};

export const ErrorsGuide = () => {
  const { errors } = useReference();
  return (
    <Guide slug="errors">
      <p>
        The status says what kind of error it is; <code>code</code> says which one, and never changes its meaning.{' '}
        <code>message</code> is for people. <code>details</code> is always an object. Quote <code>requestId</code> when you ask
        for help: it finds the request in the logs. With <code>Accept: application/problem+json</code> the same error has the
        format of RFC 9457.
      </p>
      <CodeView label="An error" samples={[{ label: 'An error', language: 'json', code: JSON.stringify(example, null, 2) }]} />
      <Section id="codes" title="All codes">
        <ul className="docs-codes">
          {errors.map(({ code, status, meaning }) => (
            <li key={code} id={code} className="stack stack--close docs-codes__code">
              <div className="docs-field__head">
                <a href={`#${code}`}>
                  <code className="wrap-anywhere">{code}</code>
                </a>
                <span className="docs-status docs-status--bad">{status}</span>
              </div>
              <p className="secondary wrap-anywhere">{meaning}.</p>
              {adviceFor(code) && <p className="small muted">{adviceFor(code)}</p>}
            </li>
          ))}
        </ul>
      </Section>
    </Guide>
  );
};
