package fairgate.platform.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class LuaScriptTest {
  @Test
  void anIncludedFileReplacesItsLine() {
    String source = LuaScript.load(LuaScriptTest.class, "with_include.lua").source();

    assertThat(source)
        .startsWith("#!lua\n")
        .contains("local function sum(a, b)\n")
        .doesNotContain("--@include")
        .endsWith("end\nreturn sum(ARGV[1], ARGV[2])\n");
  }

  @Test
  void aMissingIncludeFailsWhenTheScriptIsLoaded() {
    assertThatThrownBy(() -> LuaScript.load(LuaScriptTest.class, "missing_include.lua"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("include/nothing.lua");
  }
}
