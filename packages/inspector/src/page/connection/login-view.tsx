import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { login, loginProblem, RequestError } from './http.ts';

/** Asks for the token if the URL contains none or a wrong one. */
export function LoginView({ onDone }: { readonly onDone: () => void }): ComponentChild {
  const token = useSignal('');
  const submit = async (): Promise<void> => {
    try {
      await login(token.value.trim().replace(/^.*#token=/, ''));
      onDone();
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      loginProblem.value = error.message;
    }
  };
  return (
    <main class="empty">
      <h1 class="login-title">Coxswain</h1>
      <p>Open the address that the program printed when it started; it contains a token. Or paste that address here:</p>
      <form
        class="login"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <input
          class="field"
          aria-label="Address or token"
          autocomplete="off"
          value={token.value}
          onInput={(event) => {
            token.value = event.currentTarget.value;
          }}
        />
        <button type="submit" class="button" disabled={token.value.trim() === ''}>
          Open
        </button>
      </form>
      {loginProblem.value === null ? null : <p role="alert">{loginProblem.value}</p>}
    </main>
  );
}
