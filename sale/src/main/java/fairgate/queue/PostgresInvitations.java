package fairgate.queue;

import fairgate.kernel.ProductId;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/// Invitations in PostgreSQL.
record PostgresInvitations(PostgresDatabase database) {
  /// The first member with an identity owns it. All take the rows in one order.
  private static final String LISTED =
      """
      WITH listed AS (
        SELECT hash, tier FROM invitations
        WHERE product_id = $1 AND hash = ANY($2::text[]) AND NOT is_link
        ORDER BY hash),
      owned AS (
        INSERT INTO tier_members (product_id, identity, member) SELECT $1, hash, $3 FROM listed
        ON CONFLICT (product_id, identity) DO UPDATE SET member = tier_members.member
        RETURNING identity, member)
      SELECT DISTINCT tier FROM listed JOIN owned ON owned.identity = listed.hash
      WHERE owned.member = $3
      """;

  private static final String OWN =
      """
      INSERT INTO tier_members (product_id, identity, member) VALUES ($1, $2, $3)
      ON CONFLICT (product_id, identity) DO UPDATE SET member = tier_members.member
      RETURNING member
      """;

  /// The first one to use a link owns it.
  private static final String USE =
      """
      UPDATE invitations SET used_by = coalesce(used_by, $3)
      WHERE product_id = $1 AND hash = $2 AND is_link
        AND (used_by IS NULL OR used_by = ANY($4::text[]))
      RETURNING tier
      """;

  /// A person on two lists is on the one that was uploaded last.
  private static final String ADD =
      """
      INSERT INTO invitations (product_id, hash, tier, is_link)
      SELECT $1, hash, $2, $3 FROM unnest($4::text[]) AS hash
      ON CONFLICT (product_id, hash) DO UPDATE SET tier = excluded.tier
      """;

  private static final String LOCK = "SELECT id FROM products WHERE id = $1 FOR UPDATE";
  private static final String NUMBER = "SELECT count(*) FROM invitations WHERE product_id = $1";
  private static final String COUNT =
      """
      SELECT tier, count(*) FILTER (WHERE NOT is_link) AS people,
        count(*) FILTER (WHERE is_link) AS links, count(used_by) AS used
      FROM invitations WHERE product_id = $1 GROUP BY tier ORDER BY tier
      """;
  private static final String REMOVE_UNUSED =
      "DELETE FROM invitations WHERE product_id = $1 AND tier = $2 AND used_by IS NULL";

  /// The tiers on whose lists one of the hashes is that no other member has used.
  Future<List<String>> listed(ProductId product, String[] hashes, String member) {
    return database.queryList(
        LISTED, row -> row.getString("tier"), product.value(), hashes, member);
  }

  /// Whether no other member has used the identity; uses it.
  Future<Boolean> own(ProductId product, String identity, String member) {
    return database
        .query(OWN, product.value(), identity, member)
        .map(rows -> rows.getFirst().getString("member").equals(member));
  }

  /// Uses a link, and returns its tier; empty if there is no such link or somebody else has it.
  ///
  /// @param users hashes; the first owns the link then
  Future<Optional<String>> use(ProductId product, String link, String[] users) {
    return database.queryFirst(
        USE, row -> row.getString("tier"), product.value(), link, users[0], users);
  }

  /// Adds invitations. Blocks.
  ///
  /// @return false if the sale would have more than [Invitations#MOST]; then nothing was added
  boolean add(ProductId product, String tier, boolean links, String[] hashes) {
    return database.tx(
        db -> {
          var _ = db.query(LOCK, product.value());
          long present = db.query(NUMBER, product.value()).getFirst().getLong(0);
          if (present + hashes.length > Invitations.MOST) {
            return false;
          }
          db.update(ADD, product.value(), tier, links, hashes);
          return true;
        });
  }

  /// The invitations of a sale, by tier. Blocks.
  List<Invitations.Count> counts(ProductId product) {
    return database.reading(
        db ->
            db.query(COUNT, product.value()).stream()
                .map(
                    row ->
                        new Invitations.Count(
                            row.getString("tier"),
                            row.getLong("people"),
                            row.getLong("links"),
                            row.getLong("used")))
                .toList());
  }

  /// Removes the list of a tier and its unused links, and returns their number. Blocks.
  int remove(ProductId product, String tier) {
    return database.update(REMOVE_UNUSED, product.value(), tier);
  }
}
