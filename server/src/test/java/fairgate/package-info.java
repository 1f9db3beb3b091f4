/// Tests of the whole tree: its architecture, its sizes, its generated pages.
@NullMarked
package fairgate;

import org.jspecify.annotations.NullMarked;
