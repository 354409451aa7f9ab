/** A JSON Schema, as it came. */
export type FormSchema = Readonly<Record<string, unknown>>;

/** A field of a form as its JSON Schema describes it. */
export interface FormField {
  name: string;
  /** The JSON types that it may have; empty = any. */
  types: string[];
  /** Of the members of a list. */
  memberTypes: string[];
  required: boolean;
  values: unknown[];
  /** Undefined where there is none. */
  default: unknown;
  description: string | undefined;
}

/** The fields of a form, those that must be filled in first. */
export function formFields(schema: FormSchema): FormField[] {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const fields = Object.entries(recordOf(schema['properties'])).map(([name, value]): FormField => {
    const field = recordOf(value);
    const { description, default: byDefault } = field;
    return {
      name,
      types: typesOf(field),
      memberTypes: typesOf(recordOf(field['items'])),
      required: required.includes(name),
      values: Array.isArray(field['enum']) ? field['enum'] : [],
      default: byDefault,
      description: typeof description === 'string' ? description : undefined,
    };
  });
  return fields.toSorted((a, b) => Number(b.required) - Number(a.required));
}

function typesOf({ type }: FormSchema): string[] {
  const types = Array.isArray(type) ? type : [type];
  return types.filter((one) => typeof one === 'string');
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
