/**
 * The tables of the product.
 */
import { integer, pgTable, text } from "drizzle-orm/pg-core"

export const articles = pgTable("articles", {
  name: text().primaryKey(),
  stock: integer().notNull()
})

export const orders = pgTable("orders", {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  email: text().notNull(),
  article: text().notNull()
})

/** Creates the tables. A real product lets Drizzle Kit make its migrations. */
export const createTablesSql = `
CREATE TABLE IF NOT EXISTS articles (name text PRIMARY KEY, stock integer NOT NULL);
CREATE TABLE IF NOT EXISTS orders (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, email text NOT NULL, article text NOT NULL);
`
