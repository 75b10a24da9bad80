import { createRequire } from 'node:module';
import type { JsonSchemaType, JsonSchemaValidator, jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation';
import type * as ajv from '@modelcontextprotocol/sdk/validation/ajv';

/**
 * In the bundle of the MCP library, in place of its validator: loads that one when a server first checks the answer to an
 * elicitation.
 */
export class AjvJsonSchemaValidator implements jsonSchemaValidator {
  #loaded: ajv.AjvJsonSchemaValidator | undefined;

  getValidator<T>(schema: JsonSchemaType): JsonSchemaValidator<T> {
    this.#loaded ??= new (load().AjvJsonSchemaValidator)();
    return this.#loaded.getValidator<T>(schema);
  }
}

function load(): typeof ajv {
  // Not a plain `require()`, which the bundler would follow. The bundle is a CommonJS module.
  return createRequire(__filename)('@modelcontextprotocol/sdk/validation/ajv');
}
