import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Runs the Java verifier on the vectors: javac -d out ../FairgateVerify.java Check.java && java -cp out Check vectors.json */
final class Check {
  private Check() {}

  @SuppressWarnings("unchecked")
  public static void main(String[] arguments) throws Exception {
    Map<String, Object> vectors = FairgateVerify.parseJson(Files.readString(Path.of(arguments[0])));
    Set<String> revoked = Set.copyOf((List<String>) vectors.get("revoked"));
    FairgateVerify.Trust trust =
        new FairgateVerify.Trust(
            (String) vectors.get("room"), FairgateVerify.keys(vectors), (Long) vectors.get("epoch"), revoked);
    List<Map<String, Object>> passes = (List<Map<String, Object>>) vectors.get("passes");
    int failures = 0;
    for (Map<String, Object> pass : passes) {
      FairgateVerify.Verdict verdict =
          FairgateVerify.verifyPass((String) pass.get("token"), trust, (Long) vectors.get("now"));
      String given = verdict.ok() ? "ok" : verdict.reason();
      if (!given.equals(pass.get("expected"))) {
        failures++;
        System.out.println("FAILED " + pass.get("name") + ": expected " + pass.get("expected") + ", not " + given);
      }
    }
    System.out.println(passes.size() - failures + " passed, " + failures + " failed");
    System.exit(failures == 0 ? 0 : 1);
  }
}
