package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class HashPasswordCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String typed) {
    InputStream before = System.in;
    System.setIn(new ByteArrayInputStream(typed.getBytes(StandardCharsets.UTF_8)));
    try {
      CommandLine line = Main.commandLine();
      return line.setOut(new PrintWriter(out, true))
          .setErr(new PrintWriter(err, true))
          .execute("hash-password");
    } finally {
      System.setIn(before);
    }
  }

  @Test
  void aPasswordOnStandardInputIsHashed() {
    assertThat(run("correct horse 9\nmore\n")).isZero();
    assertThat(out.toString().strip())
        .matches("\\$argon2id\\$v=19\\$m=19456,t=2,p=1\\$[\\w+/]{22}\\$[\\w+/]{43}")
        .doesNotContain("horse");
  }

  @Test
  void anInvalidPasswordIsRefusedAndNotPrinted() {
    assertThat(run("short\n")).isEqualTo(2);
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString()).contains("8 to 128").doesNotContain("short");
    assertThat(run("")).isEqualTo(2);
  }
}
