/* Packed directories, and archives that mean harm. */
#include "tap.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <utime.h>

#include "stream/archive.h"

static int exists(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0;
}

static void put(const char *name, const char *text)
{
	struct error err;

	assert_int_equal(file_publish(scratch_path(name), text, strlen(text), &err), 0);
}

static void expect_file(const char *name, const char *text)
{
	struct buf b = {0};
	struct error err;

	assert_int_equal(file_read(scratch_path(name), 1 << 24, &b, &err), 0);
	assert_string_equal(b.data, text);
	buf_release(&b);
}

static void make_model(const char *name)
{
	char path[256];
	struct error err;

	snprintf(path, sizeof path, "%s/sub/deep", name);
	directory_make(scratch_path(path), &err);
	snprintf(path, sizeof path, "%s/config.json", name);
	put(path, "{}");
	snprintf(path, sizeof path, "%s/model.safetensors", name);
	put(path, "weights");
	snprintf(path, sizeof path, "%s/sub/deep/x", name);
	put(path, "");
}

static void round_trip(void **state)
{
	struct error err;
	char *dir, *copy;
	int temporary;

	(void)state;
	make_model("m");
	assert_int_equal(archive_pack(scratch_path("m"), scratch_path("m.tar.zst"), &err), 0);
	if (archive_unpack(scratch_path("m.tar.zst"), scratch_path("u"), 9, &err) != 0)
		fail_msg("%s", err.message);
	expect_file("u/config.json", "{}");
	expect_file("u/model.safetensors", "weights");
	expect_file("u/sub/deep/x", "");
	/* A directory that is not empty is not written into. */
	assert_int_equal(archive_unpack(scratch_path("m.tar.zst"), scratch_path("u"), 9, &err), -1);
	expect_file("u/config.json", "{}");
	directory_remove(scratch_path("u"), &err);
	/* One byte too many. */
	assert_int_equal(archive_unpack(scratch_path("m.tar.zst"), scratch_path("u"), 8, &err), -1);
	assert_int_equal(err.code, EXIT_DATA);
	assert_non_null(strstr(err.message, "too large"));
	assert_false(exists(scratch_path("u")));

	assert_int_equal(directory_enter(scratch_path("m"), 9, &dir, &temporary, &err), 0);
	assert_false(temporary);
	assert_int_equal(directory_leave(dir, temporary, &err), 0);
	assert_true(exists(scratch_path("m")));
	assert_int_equal(directory_enter(scratch_path("m.tar.zst"), 9, &dir, &temporary, &err), 0);
	assert_true(temporary && exists(dir));
	copy = xstrdup(dir);
	assert_int_equal(directory_leave(dir, temporary, &err), 0);
	assert_false(exists(copy));
	free(copy);
	assert_int_equal(directory_enter(scratch_path("none"), 9, &dir, &temporary, &err), -1);
	assert_int_equal(err.code, EXIT_NOINPUT);
	assert_null(dir);
	directory_leave(dir, temporary, &err);
	directory_remove(scratch_path("m"), &err);
}

/* Neither the order of making nor times and modes can be seen in the archive. */
static void deterministic(void **state)
{
	struct utimbuf long_ago = {1000000, 1000000};
	struct buf a = {0}, b = {0};
	struct error err;

	(void)state;
	make_model("m");
	assert_int_equal(archive_pack(scratch_path("m"), scratch_path("a.tar.zst"), &err), 0);
	directory_remove(scratch_path("m"), &err);
	directory_make(scratch_path("n/sub/deep"), &err);
	put("n/sub/deep/x", "");
	put("n/model.safetensors", "weights");
	put("n/config.json", "{}");
	utime(scratch_path("n/config.json"), &long_ago);
	chmod(scratch_path("n/config.json"), 0600);
	assert_int_equal(archive_pack(scratch_path("n"), scratch_path("b.tar.zst"), &err), 0);
	assert_int_equal(file_read(scratch_path("a.tar.zst"), 1 << 20, &a, &err), 0);
	assert_int_equal(file_read(scratch_path("b.tar.zst"), 1 << 20, &b, &err), 0);
	assert_int_equal(a.len, b.len);
	assert_memory_equal(a.data, b.data, a.len);
	/* Links are not packed, nor followed. */
	assert_int_equal(symlink("config.json", scratch_path("n/link")), 0);
	assert_int_equal(archive_pack(scratch_path("n"), scratch_path("c.tar.zst"), &err), -1);
	assert_int_equal(err.code, EXIT_DATA);
	assert_false(exists(scratch_path("c.tar.zst")));
	assert_int_equal(archive_pack(scratch_path("none"), scratch_path("c.tar.zst"), &err), -1);
	assert_int_equal(err.code, EXIT_NOINPUT);
	directory_remove(scratch_path("n"), &err);
	buf_release(&a);
	buf_release(&b);
}

struct evil {
	const char *name, *link;
	unsigned type;
};

static void add_entry(struct archive *out, const struct evil *e)
{
	struct archive_entry *entry = archive_entry_new();

	archive_entry_set_pathname(entry, e->name);
	archive_entry_set_filetype(entry, e->type == 1 ? AE_IFREG : e->type);
	archive_entry_set_perm(entry, 0644);
	archive_entry_set_size(entry, e->type == AE_IFREG ? 4 : 0);
	if (e->type == AE_IFLNK)
		archive_entry_set_symlink(entry, e->link);
	else if (e->type == 1)
		archive_entry_set_hardlink(entry, e->link);
	assert_int_equal(archive_write_header(out, entry), ARCHIVE_OK);
	if (e->type == AE_IFREG)
		assert_int_equal(archive_write_data(out, "evil", 4), 4);
	archive_entry_free(entry);
}

static const char *make_archive(const struct evil *entries, size_t n)
{
	const char *path = scratch_path("evil.tar");
	struct archive *out = archive_write_new();

	archive_write_set_format_gnutar(out);
	assert_int_equal(archive_write_open_filename(out, path), ARCHIVE_OK);
	for (size_t i = 0; i < n; i++)
		add_entry(out, &entries[i]);
	assert_int_equal(archive_write_close(out), ARCHIVE_OK);
	archive_write_free(out);
	return path;
}

static void evil_archives(void **state)
{
	static const struct {
		struct evil entries[2];
		const char *message;
	} cases[] = {
		{{{"/absolute", 0, AE_IFREG}}, "outside"},
		{{{"../up", 0, AE_IFREG}}, "outside"},
		{{{"a/../../up", 0, AE_IFREG}}, "outside"},
		{{{"a/..", 0, AE_IFDIR}}, "outside"},
		{{{"out", "/etc", AE_IFLNK}, {"out/f", 0, AE_IFREG}}, "link"},
		{{{"in", "f", AE_IFLNK}}, "link"},
		{{{"f", 0, AE_IFREG}, {"g", "f", 1}}, "link"},
		{{{"g", "/etc/passwd", 1}}, "link"},
		{{{"fifo", 0, AE_IFIFO}}, "neither"},
		{{{"dev", 0, AE_IFCHR}}, "neither"},
		{{{"f", 0, AE_IFREG}, {"./f", 0, AE_IFREG}}, "twice"},
		{{{"f", 0, AE_IFREG}, {"f/g", 0, AE_IFREG}}, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		size_t n = cases[i].entries[1].name ? 2 : 1;
		const char *path = make_archive(cases[i].entries, n);
		struct error err;

		if (archive_unpack(path, scratch_path("u"), 1000, &err) == 0)
			fail_msg("case %zu was unpacked", i);
		if (!strstr(err.message, cases[i].message))
			fail_msg("case %zu: said: %s", i, err.message);
		assert_false(exists(scratch_path("u")));
		assert_false(exists(scratch_path("up")));
		unlink(path);
	}
}

/* "top/" around everything, as tar makes it of a directory's name; and "./". */
static void one_top_directory(void **state)
{
	static const struct evil top[] = {{"top/", 0, AE_IFDIR}, {"top/f", 0, AE_IFREG}};
	static const struct evil dot[] = {{"./", 0, AE_IFDIR}, {"./f", 0, AE_IFREG}};
	struct error err;

	(void)state;
	for (int i = 0; i < 2; i++) {
		const char *path = make_archive(i ? dot : top, 2);

		assert_int_equal(archive_unpack(path, scratch_path("u"), 4, &err), 0);
		expect_file("u/f", "evil");
		assert_int_equal(directory_remove(scratch_path("u"), &err), 0);
		unlink(path);
	}
}

static void damaged_archives(void **state)
{
	struct buf data = {0};
	struct error err;

	(void)state;
	make_model("m");
	assert_int_equal(archive_pack(scratch_path("m"), scratch_path("m.tar.zst"), &err), 0);
	assert_int_equal(file_read(scratch_path("m.tar.zst"), 1 << 20, &data, &err), 0);
	for (size_t len = 0; len < data.len; len++) {
		const char *path = scratch_path("cut.tar.zst");
		int rc;

		assert_int_equal(file_publish(path, data.data, len, &err), 0);
		rc = archive_unpack(path, scratch_path("u"), 1 << 20, &err);
		if (rc == 0)
			fail_msg("cut at %zu of %zu was unpacked", len, data.len);
		assert_int_equal(err.code, EXIT_DATA);
		assert_false(exists(scratch_path("u")));
	}
	assert_int_equal(file_publish(scratch_path("t"), "no archive at all", 17, &err), 0);
	assert_int_equal(archive_unpack(scratch_path("t"), scratch_path("u"), 100, &err), -1);
	assert_int_equal(err.code, EXIT_DATA);
	assert_int_equal(archive_unpack(scratch_path("none"), scratch_path("u"), 100, &err), -1);
	assert_int_equal(err.code, EXIT_NOINPUT);
	directory_remove(scratch_path("m"), &err);
	buf_release(&data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(deterministic),
		cmocka_unit_test(evil_archives),
		cmocka_unit_test(one_top_directory),
		cmocka_unit_test(damaged_archives),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
