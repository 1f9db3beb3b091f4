package fairgate.redeem.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Imports that stop, meet each other, and meet what was redeemed, on a real PostgreSQL.
class ImportRunsTest {
  @TempDir Path spool;
  private Desk desk;

  @BeforeEach
  void open() {
    desk = Desk.open(spool);
  }

  @AfterEach
  void close() {
    desk.close();
  }

  @Test
  void anInterruptedImportGoesOnWhereItStopped() {
    String file = Desk.rows(50);
    ImportJob whole = desk.finished(desk.submit(file, ImportOptions.defaults()));
    // As a killed server leaves it: 20 rows committed, nobody at it for a while.
    desk.sql("DELETE FROM orders WHERE order_id >= 'TB0000000000020'");
    desk.sql(
        """
        UPDATE order_imports SET state = 'running', rows_done = 20, added = 20,
          finished_at = NULL, updated_at = now() - interval '1 minute'""");
    assertThat(desk.imports.find(whole.id()).orElseThrow().state())
        .isEqualTo(ImportJob.State.INTERRUPTED);
    ImportJob resumed = desk.finished(desk.submit(file, ImportOptions.defaults()));
    assertThat(resumed.counts()).isEqualTo(Desk.counts(50, 0, 0, 0, 0, 0));
    assertThat(resumed.rowsDone()).isEqualTo(50);
    assertThat(desk.orders()).hasSize(50);
  }

  @Test
  void twoRunnersNeverCountARowTwice() {
    String file = Desk.rows(500);
    ImportOutcome first = desk.submit(file, ImportOptions.defaults());
    desk.sql("UPDATE order_imports SET updated_at = now() - interval '1 minute'");
    ImportJob job = desk.finished(desk.submit(file, ImportOptions.defaults()));
    assertThat(first).isInstanceOf(ImportOutcome.Started.class);
    assertThat(job.counts()).isEqualTo(Desk.counts(500, 0, 0, 0, 0, 0));
    assertThat(desk.orders()).hasSize(500);
  }

  @Test
  void sellersCodesAreBoundToTheirOrders() {
    ImportJob job =
        desk.take(
            "TB0000000000001,basic,taobao,1,paid,,,CARD-0001",
            "TB0000000000002,basic,taobao,1,paid,,,card 0001",
            "TB0000000000003,basic,taobao,1,paid,,,abc");
    assertThat(job.counts()).isEqualTo(Desk.counts(1, 0, 0, 0, 2, 0));
    assertThat(desk.errors(job).get(1)).contains("belongs to another order");
    assertThat(desk.errors(job).get(2)).contains("4 to 200");
    ImportJob again = desk.take("TB0000000000001,basic,taobao,1,paid,,,CARD-0002");
    assertThat(desk.errors(again).get(1)).contains("has another code already");
    assertThat(codes()).containsExactly("TB0000000000001 available 0001");
  }

  private List<String> codes() {
    return desk.database.reading(
        db ->
            db
                .query(
                    "SELECT concat_ws(' ', order_id, state, last4) FROM redemption_codes ORDER BY 1")
                .stream()
                .map(row -> row.getString(0))
                .toList());
  }

  @Test
  void whatWasRedeemedKeepsItsProduct() {
    desk.take(Desk.row(1, "paid"), Desk.row(2, "paid"));
    redeemed("TB0000000000001");
    redeemed("TB0000000000002");
    ImportJob job =
        desk.take(Desk.row(1, "refunded"), Desk.row(2, "paid").replace("basic", "standard"));
    assertThat(job.counts()).isEqualTo(Desk.counts(0, 1, 0, 0, 1, 0));
    assertThat(desk.errors(job).get(1)).contains("was redeemed for another product");
  }

  @Test
  void whatWasPaidAndIsClosedWasGivenBack() {
    desk.take(Desk.row(1, "paid"), Desk.row(2, "pending"));
    ImportJob job = desk.take(Desk.row(1, "交易关闭"), Desk.row(2, "交易关闭"));
    assertThat(job.counts()).isEqualTo(Desk.counts(0, 2, 0, 0, 0, 0));
    assertThat(desk.orders())
        .containsExactly(
            "taobao TB0000000000001 basic 9950 CNY refunded",
            "taobao TB0000000000002 basic 9950 CNY cancelled");
    assertThat(desk.take(Desk.row(1, "closed"), Desk.row(2, "closed")).counts())
        .isEqualTo(Desk.counts(0, 0, 2, 0, 0, 0));
  }

  private void redeemed(String order) {
    desk.sql(
        """
        WITH code AS (
          INSERT INTO redemption_codes
            (product_id, platform, order_id, code_hash, code_box, key_id, last4, source, state)
          VALUES ('basic', 'taobao', $1, sha256($1::text::bytea), '', 'k1', 'ABCD', 'generated',
                  'assigned')
          RETURNING id)
        INSERT INTO order_redemptions
          (platform, order_id, product_id, device_id, device, code_id, ip_address)
        SELECT 'taobao', $1, 'basic', 'd', 'd', id, '127.0.0.1' FROM code""",
        order);
  }

  @Test
  void aBodyThatBreaksOffLeavesNothing() {
    InputStream broken =
        new SequenceInputStream(
            new ByteArrayInputStream(new byte[100_000]),
            new InputStream() {
              @Override
              public int read() throws IOException {
                throw new IOException("gone");
              }

              @Override
              public int read(byte[] into, int offset, int length) throws IOException {
                throw new IOException("gone");
              }
            });
    assertThatThrownBy(
            () -> desk.imports.submit(broken, "x.csv", ImportOptions.defaults(), "tester"))
        .hasMessage("gone");
    assertThat(spool).isEmptyDirectory();
    assertThat(desk.imports.newest(10)).isEmpty();
  }
}
