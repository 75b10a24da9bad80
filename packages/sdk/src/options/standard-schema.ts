/** A schema of any library that follows Standard Schema v1 (https://standardschema.dev): zod, valibot, arktype, … */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': StandardSchemaProps<Output>;
}

/** A Standard Schema that can also say what it is as JSON Schema, as zod 4.2 and later can. */
export interface StandardSchemaWithJson<Output = unknown> {
  readonly '~standard': StandardSchemaProps<Output> & { readonly jsonSchema: JsonSchemaConverter };
}

/** What a Standard Schema carries. */
export interface StandardSchemaProps<Output = unknown> {
  readonly version: 1;
  readonly vendor: string;
  readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
}

/** What a Standard Schema says of a value. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One thing a Standard Schema found wrong. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Writes a schema as JSON Schema; either function throws when it cannot. */
export interface JsonSchemaConverter {
  readonly input: (options: { readonly target: string }) => Record<string, unknown>;
  readonly output: (options: { readonly target: string }) => Record<string, unknown>;
}
